import type { BrowserContextOptions } from "playwright-core";
import type { TestService } from "./service.ts";

export const OWNER = { email: "owner@example.com", password: "correct horse battery" };

/** Sets up a new service and returns the owner's cookie. */
export async function ownerCookie({ service }: TestService): Promise<string> {
  const token = await service.setup.ensureToken();
  const done = await service.setup.complete({
    token: token!,
    ...OWNER,
    from: { address: "local" },
  });
  if (!("cookieToken" in done)) throw new Error(JSON.stringify(done));
  return `dashboard=${done.cookieToken}`;
}

/** The same as a browser context, so that its pages are signed in. */
export async function ownerContext(service: TestService): Promise<BrowserContextOptions> {
  const [name, value] = (await ownerCookie(service)).split("=");
  const domain = new URL(service.url).hostname;
  const cookie = { name: name!, value: value!, domain, path: "/", expires: -1, httpOnly: true };
  return {
    storageState: { cookies: [{ ...cookie, secure: false, sameSite: "Lax" }], origins: [] },
  };
}
