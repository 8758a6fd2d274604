import type { TestService } from "./service.ts";

/** Sends a raw body; by default a POST of JSON to /v1/agents. */
export function sendRawBody(
  service: TestService,
  call: { method?: string; path?: string; key?: string; body: BodyInit; type?: string },
): Promise<Response> {
  const { method = "POST", path = "/v1/agents", key, body, type = "application/json" } = call;
  const headers: HeadersInit = type === "" ? {} : { "content-type": type };
  return service.fetch(path, { method, headers, body, ...(key === undefined ? {} : { key }) });
}
