import { parse as parseUuid, stringify as formatUuid } from "uuid";
import { z } from "zod";
import type { User } from "../../store/users/user_record.ts";

const encoded = z.string().max(16_384).regex(/^[\w-]+$/);
const shared = {
  id: encoded.max(1_366),
  rawId: encoded.max(1_366),
  type: z.literal("public-key"),
  authenticatorAttachment: z.string().max(32).nullish().transform((value) => value ?? undefined),
  /** Not read: extensions could say anything. */
  clientExtensionResults: z.unknown().transform(() => ({})),
};

/** What `navigator.credentials.create` returns, as JSON. */
export const registrationResponseSchema = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});

/** What `navigator.credentials.get` returns, as JSON. */
export const authenticationResponseSchema = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
    userHandle: encoded.max(86).nullish().transform((value) => value ?? undefined),
  }),
});

type UserName = Pick<User, "tenant" | "id">;

/** What a passkey stores to say whose it is: nothing personal. */
export function userHandleOf({ tenant, id }: UserName): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...parseUuid(tenant), ...parseUuid(id)]);
}

export function userNameOfHandle(handle: string): UserName | undefined {
  try {
    const bytes = Uint8Array.fromBase64(handle, { alphabet: "base64url" });
    if (bytes.length !== 32) return undefined;
    return { tenant: formatUuid(bytes.subarray(0, 16)), id: formatUuid(bytes.subarray(16)) };
  } catch {
    return undefined; // Not ours.
  }
}
