shape Person { name string, mother Person }
shape Left { right Right }
shape Right { left Left, name string }
shape Node { children list[Node], parent?: Node }
shape Same Same
shape integer { a string }

main func(input { node Node, person Person, left Left, same Same }) -> Nodes {
  [input.node, input.person, input.left, input.same]
}
