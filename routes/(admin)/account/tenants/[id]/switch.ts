import { HttpError } from "fresh";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** Shows another tenant of the signed-in person from now on. */
export const handler = define.handlers({
  async POST(ctx) {
    const { clientAddress: address, service } = ctx.state;
    await readForm(ctx.req, service.runtime);
    const result = await service.memberships.switchTo(signedIn(ctx.state), {
      tenant: uuidParam(ctx.params.id),
      cookieToken: readSignInCookie(ctx.req.headers, service.config) ?? "",
      address,
    });
    if (result === "switched") return ctx.redirect("/home", 303);
    if (result === "ended") return ctx.redirect("/sign-in?interrupted=yes", 303);
    if (result === "not_member") throw new HttpError(404);
    return ctx.redirect(withFlashMessage("/account", "tenant_signed_out"), 303);
  },
});
