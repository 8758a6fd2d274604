// Encodings that keep an argument a single value at its place in a request. The redactor must know each
// of them, because servers echo what they receive.

/** Encodes a part of a path or query. A lone surrogate has no encoding and is replaced. */
export function encodeUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Encodes a name or value of a form, as browsers do. */
export function encodeForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** Encodes the content of a JSON string, without its quotes. */
export function encodeJsonString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // XML parsers normalize literal white space in attributes.
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Encodes XML text or a quoted XML attribute. */
export function encodeXml(text: string): string {
  return text.toWellFormed().replace(/[&<>"'\t\n\r]/g, (char) => XML_ENTITIES[char] ?? "");
}

const CDATA_BREAK = "]]><![CDATA[";

/** Encodes the content of a CDATA section; no `]]>` can form with adjacent text. */
export function encodeCdata(text: string): string {
  return text.toWellFormed().replace(/[\]>]/g, (char) => CDATA_BREAK + char + CDATA_BREAK);
}
