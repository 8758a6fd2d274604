import { assertEquals } from "@std/assert";
import { curlExample } from "./curl_example.ts";
import { openapiDocument } from "./openapi_document.ts";

const { paths } = openapiDocument({ baseUrl: "https://chat.example" });

function commandOf(method: string, path: string): string {
  return curlExample(paths[path]![method.toLowerCase()]!, {
    method,
    url: `https://chat.example${path}`,
  });
}

Deno.test("curlExample: contains the credential and, for a mint, the origin", () => {
  assertEquals(
    commandOf("POST", "/v1/widget/session"),
    [
      "curl -X POST 'https://chat.example/v1/widget/session'",
      `-H "Authorization: Bearer $API_KEY"`,
      `-H "Origin: https://shop.example"`,
      `-H "Content-Type: application/json"`,
      `-d '{"agentId":"6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",` +
      `"visitor":{"id":"customer-1042","variables":{"plan":"pro"}}}'`,
    ].join(" \\\n  "),
  );
});

Deno.test("curlExample: a call without credential or body is one line", () => {
  assertEquals(commandOf("GET", "/healthz"), "curl 'https://chat.example/healthz'");
});

Deno.test("curlExample: streams are not buffered", () => {
  const [first = ""] = commandOf("POST", "/v1/chat/stream").split(" \\\n");
  assertEquals(first, "curl -X POST -N 'https://chat.example/v1/chat/stream'");
});
