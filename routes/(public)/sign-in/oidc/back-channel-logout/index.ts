import { logOutOidc } from "@/lib/dashboard/sign_in/oidc_requests.ts";
import { define } from "@/utils.ts";

/** The installation's provider says here which of its sessions ended. */
export const handler = define.handlers({
  async POST(ctx) {
    return await logOutOidc(ctx);
  },
});
