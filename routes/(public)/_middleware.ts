import { dashboardSecurity } from "@/lib/http/dashboard/dashboard_security.ts";
import { define } from "@/utils.ts";

export default define.middleware(dashboardSecurity);
