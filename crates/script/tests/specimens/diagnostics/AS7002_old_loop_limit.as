main func(input) {
  done = false
  loop until done < 6 { done = true }
  loop until not done < 6 { done = true }
  loop until done and input < 6 { done = true }
  loop until input.a < 6 max 3 { done = true }
}
