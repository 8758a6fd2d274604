import { finishOidc, tenantInPath } from "@/lib/dashboard/sign_in/oidc_requests.ts";
import { define } from "@/utils.ts";

/** Where a tenant's own provider leads back to. */
export const handler = define.handlers({
  async GET(ctx) {
    return await finishOidc(ctx, tenantInPath(ctx));
  },
});
