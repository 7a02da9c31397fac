main func(input) {
  use input max 4K
  use input max 4kb
  use input max 2k words
  use input max 2k char as text
  use input max 8k chars as text
  use input max 100 tokens
}
