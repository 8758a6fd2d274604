import { HttpError } from "fresh";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { passkeyOrigin } from "@/lib/dashboard/sign_in/passkey_origin.ts";
import { define } from "@/utils.ts";

/** What the user's passkey signs to confirm who they are; bound to this sign-in. */
export const handler = define.handlers({
  async GET(ctx) {
    const origin = passkeyOrigin(ctx);
    if (origin === undefined) throw new HttpError(404);
    const user = signedInAccount(ctx.state);
    const use = { kind: "confirm", user, signIn: user.session.hash } as const;
    return Response.json(await ctx.state.service.passkeys.requestOptions(use, origin));
  },
});
