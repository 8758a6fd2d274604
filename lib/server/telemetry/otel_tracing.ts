import type { Attributes as OtelAttributes, Span as OtelSpan } from "@opentelemetry/api";
import { request as requestHttp, type RequestOptions } from "node:http";
import { Duplex } from "node:stream";
import { isOtelOn } from "../../platform/log_console.ts";
import type {
  Attributes,
  OutgoingRequest,
  Span,
  SpanOptions,
  Tracing,
} from "../../platform/tracing.ts";

type Api = typeof import("@opentelemetry/api");

/** Creates the tracing of a service, once its store can hash tenants. */
export type CreateTracing = (tenantLabel: (tenant: string) => string) => Tracing;

/**
 * Tracing with Deno's OpenTelemetry; `undefined` unless `OTEL_DENO` is on, so that nothing is loaded. Deno
 * exports the spans, and decides which by `OTEL_TRACES_SAMPLER`.
 */
export async function loadTracing(
  env: Readonly<Record<string, string | undefined>>,
  { hasContent }: { hasContent: boolean },
): Promise<CreateTracing | undefined> {
  if (!isOtelOn(env)) return undefined;
  const api = await import("@opentelemetry/api");
  return (tenantLabel) => new OtelTracing(api, { hasContent, tenantLabel });
}

class OtelTracing implements Tracing {
  readonly hasContent: boolean;
  readonly tenantLabel: Tracing["tenantLabel"];
  readonly #api: Api;
  readonly #tracer;
  readonly #spans = new WeakMap<Span, OtelSpan>();
  readonly #requestSpan = findRequestSpan();

  constructor(api: Api, options: Pick<Tracing, "hasContent" | "tenantLabel">) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("agent-chat");
    this.hasContent = options.hasContent;
    this.tenantLabel = options.tenantLabel;
  }

  start({ name, kind, attributes = {}, parent }: SpanOptions): Span {
    const { SpanKind, SpanStatusCode } = this.#api;
    const options = {
      kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: defined(attributes),
    };
    const inner = this.#tracer.startSpan(name, options, this.#contextOf(parent));
    let isOpen = true;
    const span: Span = {
      // Formatted when it is read: most spans make no outgoing request.
      get traceparent() {
        return toTraceparent(inner);
      },
      set: (more) => void inner.setAttributes(defined(more)),
      end: (error) => {
        if (!isOpen) return;
        isOpen = false;
        if (error !== undefined) {
          inner.setAttribute("error.type", error);
          inner.setStatus({ code: SpanStatusCode.ERROR });
        }
        inner.end();
      },
    };
    this.#spans.set(span, inner);
    return span;
  }

  within<T>(span: Span, work: () => T): T {
    const { context, trace } = this.#api;
    const inner = this.#spans.get(span);
    return inner === undefined
      ? work()
      : context.with(trace.setSpan(context.active(), inner), work);
  }

  nameRequest({ method, route }: { method: string; route: string }): void {
    const span = this.#api.trace.getActiveSpan();
    span?.updateName(`${method} ${route}`);
    span?.setAttribute("http.route", route);
  }

  startRequest(
    request: OutgoingRequest,
    { method, url }: { method: string; url: URL },
  ): void {
    // Without it, Deno makes another span, with the whole address.
    if (this.#requestSpan === undefined) return;
    const { context, SpanKind } = this.#api;
    const attributes = {
      "http.request.method": method,
      "url.scheme": url.protocol.slice(0, -1),
      "server.address": url.hostname,
      ...url.port !== "" && { "server.port": Number(url.port) },
    };
    const options = { kind: SpanKind.CLIENT, attributes };
    const span = this.#tracer.startSpan(method, options, context.active());
    Object.assign(request, { [this.#requestSpan]: span });
    request.setHeader("traceparent", toTraceparent(span));
    // Deno adds the status and ends it, unless there is no response.
    request.once("close", () => span.end());
  }

  #contextOf(parent: string | undefined) {
    const { context, propagation, ROOT_CONTEXT } = this.#api;
    if (parent === undefined) return context.active();
    return propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  }
}

/**
 * The symbol under which Deno keeps the span of a request of `node:http`: if there is one already, Deno
 * creates none. Found on a request that is never sent; `undefined` in a Deno that does it otherwise.
 */
function findRequestSpan(): symbol | undefined {
  const createConnection = () =>
    new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const request = requestHttp({ host: "localhost", createConnection } as RequestOptions);
  request.on("error", () => {});
  request.end();
  const symbols = Object.getOwnPropertySymbols(request);
  const found = symbols.find((name) =>
    isSpan((request as unknown as Record<symbol, unknown>)[name])
  );
  request.destroy();
  return found;
}

function isSpan(value: unknown): value is OtelSpan {
  return typeof value === "object" && value !== null && "setAttributes" in value &&
    "spanContext" in value;
}

function toTraceparent(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Not by `Object.entries`: several times slower, and run for every span. */
function defined(attributes: Attributes): OtelAttributes {
  const given: OtelAttributes = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) given[name] = value as OtelAttributes[string];
  }
  return given;
}
