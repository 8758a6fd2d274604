import type { OperationObject } from "./document.ts";

/** A command that makes the call; `$API_KEY`, `$SESSION_TOKEN` and words in braces are to be filled in. */
export function curlExample(
  operation: OperationObject,
  { method, url }: { method: string; url: string },
): string {
  const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}${quote(url)}`];
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
    ...(names.includes("ServiceSession")
      ? ["X-Service-Session: $SESSION_TOKEN"]
      : names.includes("ApiKey")
      ? ["Authorization: Bearer $API_KEY"]
      : []),
    ...(origin ? ["Origin: https://shop.example"] : []),
  ];
}

/** As one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
