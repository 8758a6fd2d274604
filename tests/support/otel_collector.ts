/** A log record in OpenTelemetry's JSON. */
interface OtlpRecord {
  severityText: string;
  severityNumber: number;
  body: { stringValue: string };
}

interface OtlpLogs {
  resourceLogs: { scopeLogs: { logRecords: OtlpRecord[] }[] }[];
}

/** Collects the OpenTelemetry log records of a Deno process with `env` in its environment. */
export class OtelCollector implements AsyncDisposable {
  readonly records: OtlpRecord[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      async (req) => {
        const body = await req.text();
        if (new URL(req.url).pathname === "/v1/logs") this.#take(JSON.parse(body));
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

  #take({ resourceLogs }: OtlpLogs): void {
    for (const { scopeLogs } of resourceLogs) {
      for (const { logRecords } of scopeLogs) this.records.push(...logRecords);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
