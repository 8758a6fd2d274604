import type { OperationObject } from "./openapi_types.ts";

/** A curl command for an operation; the user fills in `$API_KEY` and names in braces. */
export function curlExample(
  operation: OperationObject,
  { method, url }: { method: string; url: string },
): string {
  // curl buffers a stream without -N.
  const isStream = operation.responses["200"]?.content?.["text/event-stream"] !== undefined;
  const flags = [...(method === "GET" ? [] : ["-X", method]), ...(isStream ? ["-N"] : [])];
  const parts = [["curl", ...flags, quote(url)].join(" ")];
  for (const header of headersOf(operation)) parts.push(`-H "${header}"`);
  const content = operation.requestBody?.content ?? {};
  const body = Object.values(content)[0]?.examples?.example?.value;
  if (Object.keys(content)[0] === "multipart/form-data") parts.push(`-F "file=@photo.jpg"`);
  if (body !== undefined) {
    parts.push(`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body))}`);
  }
  return parts.join(" \\\n  ");
}

function headersOf({ security, parameters = [] }: OperationObject): string[] {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  const origin = parameters.find(({ name }) => name === "Origin")?.example;
  return [
    // Even where a session would be enough, because a key is simpler in a terminal.
    ...(names.includes("ApiKey") ? ["Authorization: Bearer $API_KEY"] : []),
    ...(names.join() === "ServiceSession" ? ["X-Service-Session: $SESSION_TOKEN"] : []),
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
