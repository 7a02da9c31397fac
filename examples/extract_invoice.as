// Extracts a typed record from free text. The shape is the schema.
//
//   contexture run examples/extract_invoice.as --input '{"path":"examples/data/invoice.txt"}'

import tool File from "file://workspace"

main agent Extractor {
  role "a bookkeeping assistant"
  description "You copy facts from documents. You never guess a value."

  main func(input { path string }) {
    invoice = File.read({ path: input.path })
    use invoice max 3k as invoice

    generate({
      input: "Extract the invoice number, the currency, the total amount and the line items.",
      attempts: 3
    }) -> {
      /// The invoice number as printed.
      invoice_number string
      currency "EUR" | "USD" | "CNY"
      /// The total amount to pay.
      total number
      /// One entry per position.
      items list[{ description string, quantity integer }]
      /// A remark on payment terms, if there is one.
      payment_terms?: string
    }
  }
}
