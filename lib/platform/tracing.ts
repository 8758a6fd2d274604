export type AttributeValue = string | number | boolean | readonly string[];
/** Attributes that are `undefined` are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** One operation of a trace. */
export interface Span {
  /** The W3C header with which servers continue the trace below this span. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** Ends the span once; `error` is the code of what went wrong. */
  end(error?: string): void;
}

export interface SpanOptions {
  name: string;
  /** `client` for a request to another server. */
  kind?: "client" | "internal";
  attributes?: Attributes;
  /** The `traceparent` of the span above; by default the current span. */
  parent?: string | undefined;
}

/** Records what the service does. Parts receive it only if traces are collected. */
export interface Tracing {
  /** Prompts, answers and the input and output of tools may be recorded. */
  readonly hasContent: boolean;
  start(options: SpanOptions): Span;
  /** Does `work`, below which spans and requests belong to `span`. */
  within<T>(span: Span, work: () => T): T;
  /** The keyed hash of a tenant's id. */
  tenantLabel(tenant: string): string;
  /** Names the platform's span of the request that is being answered. */
  nameRequest(request: { method: string; route: string }): void;
  /**
   * Gives a request that is about to be sent its span and its `traceparent`. The span has neither path nor
   * query, which may hold what a model wrote; the platform's own would have them.
   */
  startRequest(request: OutgoingRequest, target: { method: string; url: URL }): void;
}

/** What tracing needs of a `ClientRequest` of `node:http`. */
export interface OutgoingRequest {
  setHeader(name: string, value: string): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** A span that ends with the block that opened it. */
export interface SpanScope extends Disposable {
  within<T>(work: () => T): T;
}

const NO_SCOPE: SpanScope = { within: (work) => work(), [Symbol.dispose]() {} };

/** Opens a span, if traces are collected. */
export function openSpan(tracing: Tracing | undefined, options: SpanOptions): SpanScope {
  if (tracing === undefined) return NO_SCOPE;
  const span = tracing.start(options);
  return {
    within: (work) => tracing.within(span, work),
    [Symbol.dispose]: () => span.end(),
  };
}

/** Does `work` within a span that ends with it, with the code of its error. */
export async function trace<T>(
  tracing: Tracing | undefined,
  { work, ...options }: SpanOptions & { work: (span?: Span) => Promise<T> },
): Promise<T> {
  if (tracing === undefined) return await work();
  const span = tracing.start(options);
  try {
    const result = await tracing.within(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(errorType(error));
    throw error;
  }
}

/** The code of an error, or its class: never its message, which may contain anything. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code, name } = error as Error & { code?: unknown };
  return typeof code === "string" ? code : name;
}
