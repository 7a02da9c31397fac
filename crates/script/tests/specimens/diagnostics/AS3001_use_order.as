main func(input) {
  use input as evidence max 4k
  use input as notes keep tail
  use input as the list priority 3
  use input as evidence < 4k
  use input as "quoted max 4k"
  use input as "quoted" max 4k
  use input max 4k keep tail priority 3 as all in order
}
