import { HttpError } from "fresh";

/** Larger than any form of the dashboard; URL encoding triples some characters. */
const MAX_FORM_BYTES = 2 * 1_048_576;

/**
 * The fields of a submitted form, line breaks as `\n` whatever the browser sent. Throws `HttpError`
 * 415 for another content type and 413 for a body over 2 MiB, without reading the rest of it.
 */
export async function readForm(req: Request): Promise<URLSearchParams> {
  const type = req.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    throw new HttpError(415, "Send the form as application/x-www-form-urlencoded.");
  }
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of req.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_FORM_BYTES) throw new HttpError(413, "The form is larger than 2 MiB.");
    text += decoder.decode(chunk, { stream: true });
  }
  const form = new URLSearchParams(text + decoder.decode());
  return new URLSearchParams([...form].map(([k, v]) => [k, v.replace(/\r\n?/g, "\n")]));
}
