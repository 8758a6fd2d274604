import type { Dashboard } from "./dashboard.ts";
import type { TestService } from "./service.ts";

/** Submits a form whose last byte arrives after `during`. Returns the status and where it leads. */
export async function holdForm(
  service: TestService,
  { user, path, fields = {}, during }: {
    user: Dashboard;
    path: string;
    fields?: Record<string, string>;
    during: () => Promise<unknown>;
  },
): Promise<string> {
  const bytes = new TextEncoder().encode(`${new URLSearchParams(fields)}&z=1`);
  const begun = Promise.withResolvers<void>();
  const isDone = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.slice(0, -1));
      await isDone.promise;
      controller.enqueue(bytes.slice(-1));
      controller.close();
    },
  });
  // The request is past the check of its cookie once the store was asked for the sign-in.
  const { signIn } = service.service;
  const authenticate = signIn.authenticate.bind(signIn);
  signIn.authenticate = async (...args) => {
    const found = await authenticate(...args);
    begun.resolve();
    return found;
  };
  const answer = fetch(service.url + path, {
    ...{ method: "POST", body, redirect: "manual" },
    headers: {
      ...{ cookie: user.cookie, origin: service.url },
      "content-type": "application/x-www-form-urlencoded",
    },
  });
  await begun.promise;
  signIn.authenticate = authenticate;
  await during();
  isDone.resolve();
  const { status, headers, body: rest } = await answer;
  await rest?.cancel();
  return `${status} ${headers.get("location") ?? ""}`.trim();
}
