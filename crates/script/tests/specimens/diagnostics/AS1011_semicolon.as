main func(input) {
  a = 1; b = 2;
  return a;
}
