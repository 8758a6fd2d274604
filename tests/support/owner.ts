import type { TestService } from "./service.ts";

const OWNER = { email: "owner@example.com", password: "correct horse battery" };

/** Sets a fresh service up; the cookie of its owner, `name=value`. */
export async function ownerCookie({ service }: TestService): Promise<string> {
  const token = await service.accounts.ensureSetupToken();
  const done = await service.accounts.setUp({ token: token!, ...OWNER, address: "local" });
  if (!("cookieToken" in done)) throw new Error(JSON.stringify(done));
  return `dashboard=${done.cookieToken}`;
}

/** The same for a browser's page. */
export async function ownerContext(service: TestService) {
  const [name, value] = (await ownerCookie(service)).split("=");
  const cookies = [{ name: name!, value: value!, url: service.url, httpOnly: true }];
  return { storageState: { cookies: cookies.map(toStored), origins: [] } };
}

function toStored({ name, value, url }: { name: string; value: string; url: string }) {
  const { hostname } = new URL(url);
  return {
    name,
    value,
    domain: hostname,
    path: "/",
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: "Lax" as const,
  };
}
