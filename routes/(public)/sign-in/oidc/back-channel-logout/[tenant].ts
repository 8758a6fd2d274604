import { logOutOidc, tenantInPath } from "@/lib/dashboard/sign_in/oidc_requests.ts";
import { define } from "@/utils.ts";

/** A tenant's own provider says here which of its sessions ended. */
export const handler = define.handlers({
  async POST(ctx) {
    return await logOutOidc(ctx, tenantInPath(ctx));
  },
});
