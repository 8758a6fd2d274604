import type { OperationObject } from "./openapi_types.ts";

/** A command that makes the call; `$API_KEY` and words in braces are to be filled in. */
export function curlExample(
  operation: OperationObject,
  { method, url }: { method: string; url: string },
): string {
  const flags = [
    ...(method === "GET" ? [] : ["-X", method]),
    ...(isStream(operation) ? ["-N"] : []),
  ];
  const parts = [["curl", ...flags, quote(url)].join(" ")];
  for (const header of headersOf(operation)) parts.push(`-H "${header}"`);
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.examples?.example?.value;
  if (body !== undefined) {
    parts.push(`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body))}`);
  }
  return parts.join(" \\\n  ");
}

function headersOf({ security, parameters = [] }: OperationObject): string[] {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  const origin = parameters.some(({ name, required }) => name === "Origin" && required);
  return [
    // Where a session would do as well, a key is the shorter way from a terminal.
    ...(names.includes("ApiKey") ? ["Authorization: Bearer $API_KEY"] : []),
    ...(origin ? ["Origin: https://shop.example"] : []),
  ];
}

/** curl holds a stream back unless told not to. */
function isStream({ responses }: OperationObject): boolean {
  return responses["200"]?.content?.["text/event-stream"] !== undefined;
}

/** As one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
