import { type OtlpSpan, parseSpans } from "./otlp_spans.ts";

/** A log record in OpenTelemetry's JSON. */
interface OtlpRecord {
  severityText: string;
  severityNumber: number;
  body: { stringValue: string };
}

interface OtlpLogs {
  resourceLogs: { scopeLogs: { logRecords: OtlpRecord[] }[] }[];
}

/** Collects the OpenTelemetry log records and spans of a Deno process with `env` in its environment. */
export class OtelCollector implements AsyncDisposable {
  readonly records: OtlpRecord[] = [];
  readonly spans: OtlpSpan[] = [];
  /** Everything that was received. */
  readonly bodies: string[] = [];
  #waiting: (() => void)[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      async (req) => {
        const body = await req.text();
        const { pathname } = new URL(req.url);
        if (pathname === "/v1/logs") this.#take(JSON.parse(body));
        if (pathname === "/v1/traces") {
          this.bodies.push(body);
          this.spans.push(...parseSpans(JSON.parse(body)));
          for (const resolve of this.#waiting.splice(0)) resolve();
        }
        return Response.json({});
      },
    );
  }

  get env(): Record<string, string> {
    return {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#server.addr.port}`,
    };
  }

  /** Resolves once a span that has arrived satisfies `condition`. */
  async until(condition: (span: OtlpSpan) => boolean): Promise<OtlpSpan> {
    for (;;) {
      const found = this.spans.find(condition);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #take({ resourceLogs }: OtlpLogs): void {
    for (const { scopeLogs } of resourceLogs) {
      for (const { logRecords } of scopeLogs) this.records.push(...logRecords);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
