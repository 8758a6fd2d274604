import { Secret, TOTP } from "otpauth";
import type { TestService } from "./service.ts";
import { SoftAuthenticator } from "./soft_authenticator.ts";

/** An authenticator app: the codes of one secret. */
export class AuthenticatorApp {
  readonly #totp: TOTP;

  /** `secret` is base32. */
  constructor(secret: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  code(now: number): string {
    return this.#totp.generate({ timestamp: now });
  }
}

const ORIGIN = "https://chat.example.com";

/** Adds a passkey to the account that is signed in with this cookie, and returns its id. */
export async function addPasskey({ service }: TestService, cookieToken: string): Promise<string> {
  const user = await service.signIn.authenticate(cookieToken);
  if (user === undefined) throw new Error("this cookie does not sign in");
  const options = await service.passkeys.creationOptions(user, ORIGIN);
  const response = await new SoftAuthenticator().create(options, { origin: ORIGIN });
  await service.passkeys.add(user, { origin: ORIGIN, name: "Laptop", response });
  await service.signIn.recordFactor(cookieToken, "passkey");
  return (await service.factors.summary(user)).passkeys.at(-1)!.id;
}

/** Adds an authenticator app to the account that is signed in with this cookie. */
export async function addAuthenticatorApp(
  { service }: TestService,
  cookieToken: string,
): Promise<AuthenticatorApp> {
  const user = await service.signIn.authenticate(cookieToken);
  if (user === undefined) throw new Error("this cookie does not sign in");
  const offer = await service.factors.offerTotp(user);
  const app = new AuthenticatorApp(offer.secret);
  if (!await service.factors.confirmTotp(user, offer, app.code(service.runtime.now()))) {
    throw new Error("the service rejects its own secret");
  }
  await service.signIn.recordFactor(cookieToken, "totp");
  return app;
}
