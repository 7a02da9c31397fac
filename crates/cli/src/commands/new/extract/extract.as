// Extracts a typed record from a document. The shape is the schema.

import tool File from "file://workspace"

main agent Extractor {
  role "a bookkeeping assistant"
  description "You copy facts from documents. You never guess a value."

  main func(input { path string }) {
    document = File.read({ path: input.path })
    use document max 4k as document
    generate({ input: "Extract the invoice number and the total.", attempts: 3 }) -> {
      /// The invoice number as printed.
      invoice_number string
      /// The total amount to pay.
      total number
    }
  }
}
