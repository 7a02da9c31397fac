// The agent of the browser check, for a real server: what the user says names the tools that it uses, and it
// answers with what they gave. The same as agent.mjs.

import tool Highlight from "frontend://highlight_element"
import tool Camera from "frontend://access_camera"
import tool Resize from "frontend://local_image_resize"
import tool Picker from "frontend://file_picker"
import tool Overlay from "frontend://display_overlay"
import tool Location from "frontend://geolocation"

main func(input { text string }) {
  if input.text == "show markdown" {
    return "# Report\n\nSome **bold** text, [a link](https://example.com/a) and [none](javascript:alert(1)).\n\n- outer\n  - inner\n\n```js\nlet x = '<b>';\n```\n\n| name | count |\n|---|---|\n| pear | 2 |\n"
  }
  if input.text == "show object" {
    return { title: "Order 7", open: true, lines: [{ item: "pear", price: 2 }, { item: "fig", price: 3.5 }], customer: { name: "Ann", note: none }, tags: ["new", "<i>old</i>"] }
  }
  if input.text == "show both" { return { text: "A **text**", score: 7 } }
  if input.text == "show markup" {
    return "<script>document.title=\"hacked\"</script> <img src=x onerror=\"document.title=1\"> ![x](https://evil.example/x.png) [x](javascript:document.title=1) <a onclick=x>"
  }
  if input.text == "show nested" { return "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[> > > > > > > > > > > > > > > > > > *_*_*_*_*_*_*_*_*_*_*_*_*_*_*_*_*_" }
  if input.text == "show long" { return "zzzzzzzzzz".replace("z", "yyyyyyyyyy").replace("y", "qqqqqqqqqq").replace("q", "word *a* `b` ") }
  if input.text == "show deep" { return { in: { in: { in: { in: { in: { in: { in: { in: { in: { in: { in: { in: { in: { in: "end" } } } } } } } } } } } } } } }
  if input.text == "show bidi" { return "\u{202e}live\u{202c} [pay\u{202e}](https://evil.example/)" }
  if input.text == "highlight" {
    return Highlight.run({ selector: "#main-content", style: "pulse", duration: 1500 })
  }
  if input.text == "where" {
    return try { Location.run({ accuracy: "high", timeout: 5000 }) } else err { { code: err.code } }
  }
  if input.text == "photo" {
    return try {
      photo = Camera.run({ mode: "photo", resolution: "high" })
      small = Resize.run({ imageId: photo.imageId, width: 300, height: 200, preserveAspectRatio: true })
      { photo: photo, small: small }
    } else err { { code: err.code } }
  }
  if input.text == "file" {
    return try {
      picked = Picker.run({ accept: ".jpg,.png", multiple: false })
      square = { label: "square", score: 0.92, box: { x: 40, y: 30, width: 80, height: 60 } }
      shown = Overlay.run({ sourceImageId: picked.fileId, overlayData: [square], style: "bounding_boxes" })
      file = { fileId: picked.fileId, fileName: picked.fileName, fileSize: picked.fileSize, mimeType: picked.mimeType }
      { file: file, bytes: picked.fileData.length(), shown: shown }
    } else err { { code: err.code } }
  }
  { echo: input.text }
}
