import type { Context } from "./context.ts";

/** Takes part in answering a request; `ctx.next()` runs whatever comes after it. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** The older name of `Middleware`. */
export type MiddlewareFn<State> = Middleware<State>;

/** Runs the middlewares in order, then what `ctx.next` was at the start. */
export function chain<State>(steps: Middleware<State>[]): Middleware<State> {
  return (ctx) => {
    const after = ctx.next;
    async function run(index: number): Promise<Response> {
      const step = steps[index];
      if (step === undefined) return await after();
      ctx.next = () => run(index + 1);
      try {
        return await step(ctx);
      } catch (error) {
        ctx.error = error;
        throw error;
      }
    }
    return run(0);
  };
}
