import type { Attributes, Span, SpanOptions, Tracing } from "@/lib/platform/tracing.ts";

/** Tracing that keeps what was recorded. */
export class FakeTracing implements Tracing {
  readonly hasContent = false;
  readonly log: string[] = [];
  readonly started: SpanOptions[] = [];
  readonly attributes: Attributes[] = [];
  readonly #names = new WeakMap<Span, string>();

  start(options: SpanOptions): Span {
    const { name } = options;
    this.log.push(`start ${name}`);
    this.started.push(options);
    const id = String(this.started.length).padStart(16, "0");
    const span: Span = {
      traceparent: `00-0af7651916cd43dd8448eb211c80319c-${id}-01`,
      set: (attributes) => void this.attributes.push(attributes),
      end: (error) =>
        void this.log.push(error === undefined ? `end ${name}` : `end ${name} ${error}`),
    };
    this.#names.set(span, name);
    return span;
  }

  within<T>(span: Span, work: () => T): T {
    this.log.push(`within ${this.#names.get(span)}`);
    return work();
  }

  tenantLabel(tenant: string): string {
    return `label of ${tenant}`;
  }

  nameRequest(): void {}

  startRequest(): void {}
}
