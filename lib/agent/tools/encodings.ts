// How a value is written so that it stays one value where it stands. A spelling that is new here is
// one the redactor has to know: servers echo what they were sent.

/** In a path or a query. Half a surrogate pair has no encoding. */
export function encodeUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A name or a value of a form, as browsers write it. */
export function encodeForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** Between the quotes of a JSON string. */
export function encodeJsonString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // As they are, an attribute would show blanks in their place.
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** In a text or a quoted attribute of XML. */
export function encodeXml(text: string): string {
  return text.toWellFormed().replace(/[&<>"'\t\n\r]/g, (char) => XML_ENTITIES[char] ?? "");
}

const CDATA_BREAK = "]]><![CDATA[";

/** In a CDATA section of XML: no `]]>` can come to be, whatever stands beside it. */
export function encodeCdata(text: string): string {
  return text.toWellFormed().replace(/[\]>]/g, (char) => CDATA_BREAK + char + CDATA_BREAK);
}
