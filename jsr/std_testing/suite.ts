export type Options = Omit<Deno.TestDefinition, "fn" | "name">;
export type TestBody<T> = (
  this: T,
  t: Deno.TestContext,
) => void | Promise<void>;
export type Hook<T> = (this: T) => void | Promise<void>;
export type HookName = "beforeAll" | "afterAll" | "beforeEach" | "afterEach";

export interface Case {
  name: string;
  options: Options;
  fn: TestBody<unknown>;
}

/** The hooks of the groups around a test, outermost first. */
interface Around {
  beforeEach: Hook<unknown>[];
  afterEach: Hook<unknown>[];
}

/** A `describe` group, run as one Deno test with a step for each child. */
export class Suite {
  readonly hooks: Record<HookName, Hook<unknown>[]> = {
    beforeAll: [],
    afterAll: [],
    beforeEach: [],
    afterEach: [],
  };
  readonly children: (Case | Suite)[] = [];

  constructor(readonly name: string, readonly options: Options) {}

  /** Declares an outermost group; `only` inside it makes the whole group the only one. */
  register(): void {
    Deno.test({
      ...this.options,
      name: this.name,
      only: this.hasOnly(),
      fn: (t) => this.#run(t, {}, { beforeEach: [], afterEach: [] }),
    });
  }

  hasOnly(): boolean {
    return this.options.only === true || this.children.some(isOnly);
  }

  async #run(
    t: Deno.TestContext,
    context: object,
    outer: Around,
  ): Promise<void> {
    const own = { ...context };
    const around = {
      beforeEach: [...outer.beforeEach, ...this.hooks.beforeEach],
      afterEach: [...this.hooks.afterEach, ...outer.afterEach],
    };
    try {
      await callAll(this.hooks.beforeAll, own);
      for (const child of this.#selected()) {
        const { only: _, ...options } = child.options;
        await t.step({
          ...options,
          name: child.name,
          fn: (step) =>
            child instanceof Suite
              ? child.#run(step, own, around)
              : runCase(child, { t: step, context: { ...own }, around }),
        });
      }
    } finally {
      await callAll(this.hooks.afterAll, own);
    }
  }

  #selected(): (Case | Suite)[] {
    const only = this.children.filter(isOnly);
    return only.length > 0 ? only : this.children;
  }
}

function isOnly(child: Case | Suite): boolean {
  return child instanceof Suite ? child.hasOnly() : child.options.only === true;
}

async function runCase(
  test: Case,
  { t, context, around }: {
    t: Deno.TestContext;
    context: object;
    around: Around;
  },
): Promise<void> {
  try {
    await callAll(around.beforeEach, context);
    await test.fn.call(context, t);
  } finally {
    await callAll(around.afterEach, context);
  }
}

async function callAll(hooks: Hook<unknown>[], context: object): Promise<void> {
  for (const hook of hooks) await hook.call(context);
}
