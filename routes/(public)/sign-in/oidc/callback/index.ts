import { finishOidc } from "@/lib/dashboard/sign_in/oidc_requests.ts";
import { define } from "@/utils.ts";

/** Where the installation's provider leads back to. */
export const handler = define.handlers({
  async GET(ctx) {
    return await finishOidc(ctx);
  },
});
