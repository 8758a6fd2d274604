import type { TestService } from "./service.ts";

/** Whom tests set a service up for. */
export const OWNER = { email: "owner@example.com", password: "correct horse battery" };

/** Sets the service up by its form, as a first visitor does; answers the owner's `Cookie` header. */
export async function signedInCookie(service: TestService): Promise<string> {
  const token = await service.service.accounts.ensureSetupToken();
  const answer = await service.fetch("/setup", {
    method: "POST",
    body: new URLSearchParams({ token: token!, ...OWNER }),
    headers: { origin: service.url },
  });
  await answer.body?.cancel();
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (answer.status !== 303 || cookie === undefined) throw new Error(`set-up: ${answer.status}`);
  return cookie;
}
