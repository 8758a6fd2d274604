import type { Context } from "../context.ts";

/** Takes part in answering a request; `ctx.next()` runs whatever comes after it. */
export type Middleware<State> = (
  ctx: Context<State>,
) => Response | Promise<Response>;

/** The older name of `Middleware`. */
export type MiddlewareFn<State> = Middleware<State>;

/** A middleware, or a function that loads one. */
export type MaybeLazyMiddleware<State> = (
  ctx: Context<State>,
) => Response | Promise<Response | Middleware<State>>;

/** Runs the middlewares in order, then what `ctx.next` was at the start. */
export function chain<State>(
  middlewares: MaybeLazyMiddleware<State>[],
): Middleware<State> {
  const steps = [...middlewares];

  async function run(
    ctx: Context<State>,
    index: number,
    after: Middleware<State>,
  ) {
    const step = steps[index];
    if (step === undefined) return after(ctx);
    ctx.next = async () => await run(ctx, index + 1, after);
    try {
      const result = await step(ctx);
      if (typeof result !== "function") return result;
      steps[index] = result;
      return await result(ctx);
    } catch (error) {
      ctx.error = error;
      throw error;
    }
  }

  return (ctx) => {
    const { next } = ctx;
    return run(ctx, 0, () => next());
  };
}
