import { assertEquals } from "@std/assert";
import { loadTracing } from "./otel_tracing.ts";

Deno.test("loadTracing: nothing without OTEL_DENO, whatever else is set", async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_CONTENT: "on" };
  for (const env of [{}, { OTEL_DENO: "" }, { OTEL_DENO: "false" }, endpoint]) {
    assertEquals(await loadTracing(env, { hasContent: false }), undefined);
  }
});

Deno.test("loadTracing: the service imports the API of OpenTelemetry dynamically only", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.ts"],
    cwd: new URL("../../../", import.meta.url).pathname,
    stderr: "null",
  }).output();
  const { modules }: { modules: { dependencies?: Dependency[] }[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const imports = modules.flatMap(({ dependencies = [] }) => dependencies)
    .filter(({ specifier, code }) => specifier.startsWith("@opentelemetry/") && code);
  assertEquals(imports.map(({ isDynamic }) => isDynamic), [true]);
});

/** An import; `code` is absent if it only imports types. */
interface Dependency {
  specifier: string;
  code?: unknown;
  isDynamic?: boolean;
}
