/** What a form was submitted with. */

/** Keeps the browser from leaving the page, and gives the value of each field without spaces around it. */
export function submitted(event: Event): (name: string) => string {
  event.preventDefault();
  const values = new FormData(event.target as HTMLFormElement);
  return (name) => String(values.get(name) ?? "").trim();
}
