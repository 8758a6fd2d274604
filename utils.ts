import { createDefine } from "fresh";
import type { RateLimiter } from "./lib/http/rate_limiter.ts";
import type { Service } from "./lib/http/service.ts";
import type { TenantChoice } from "./lib/services/tenants/memberships.ts";
import type { SignedInUser } from "./lib/services/signed_in_user.ts";

/** The state of a request. The root middleware sets it. */
export interface State {
  /** The composed service of this process. */
  service: Service;
  /** Generated, never taken from input; also the `x-request-id` header. */
  requestId: string;
  /** The address that limits and lockouts count: the connection's, or the one a trusted proxy reports. */
  clientAddress: string;
  /** Counts this request against the limits once; used by `/v1` and `/demo`. */
  rateLimiter: RateLimiter;
  /** The signed-in dashboard user; set on dashboard routes only. */
  user?: SignedInUser;
  /** The user's tenants, once a page has read them for itself. */
  tenants?: TenantChoice[];
  /** The nonce of style sheets in the content security policy; set for dashboard pages. */
  styleNonce?: string;
  /** The route's own content security policy, for a page that is not the dashboard's. */
  ownPolicy?: string;
  /** Sources, as policies name them, that a form of the dashboard's page may lead to by redirects. */
  formTargets?: readonly string[];
  /** The dashboard's page shows another page of this service in a frame. */
  framesOwnPages?: boolean;
}

export const define = createDefine<State>();
