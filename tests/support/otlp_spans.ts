/** A span in OpenTelemetry's JSON. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  /** 1: internal, 2: server, 3: client. */
  kind: number;
  attributes: Record<string, unknown>;
  /** 2: error. */
  status: number;
  /** `agent-chat` for our own, `deno` for the platform's. */
  scope: string;
}

interface OtlpTraces {
  resourceSpans: {
    scopeSpans: {
      scope: { name: string };
      spans: (Omit<OtlpSpan, "attributes" | "status" | "scope"> & {
        attributes: { key: string; value: Record<string, unknown> }[];
        status: { code: number };
      })[];
    }[];
  }[];
}

/** The spans of an export request. */
export function parseSpans({ resourceSpans }: OtlpTraces): OtlpSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: Object.fromEntries(span.attributes.map(({ key, value }) => {
          return [key, Object.values(value)[0]];
        })),
        status: span.status.code,
        scope: scope.name,
      }))
    )
  );
}

/** A span with those below it. */
export interface SpanNode {
  span: OtlpSpan;
  below: SpanNode[];
}

/** The trees of one trace: one, unless a span is missing. */
export function spanTrees(spans: readonly OtlpSpan[], traceId: string): SpanNode[] {
  const nodes = new Map<string, SpanNode>();
  for (const span of spans) {
    if (span.traceId === traceId) nodes.set(span.spanId, { span, below: [] });
  }
  const roots: SpanNode[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(node.span.parentSpanId ?? "");
    (parent?.below ?? roots).push(node);
  }
  return roots;
}

/** The names of a tree, indented, in the order in which the spans began. */
export function drawTree({ span, below }: SpanNode, depth = 0): string {
  const inOrder = below.toSorted((a, b) => startOf(a) < startOf(b) ? -1 : 1);
  const lines = inOrder.map((node) => drawTree(node, depth + 1));
  return ["  ".repeat(depth) + span.name, ...lines].join("\n");
}

function startOf({ span }: SpanNode): bigint {
  return BigInt(span.startTimeUnixNano);
}
