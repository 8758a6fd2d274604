import { dashboardSecurity } from "@/lib/dashboard/dashboard_security.ts";
import { define } from "@/utils.ts";

export default define.middleware(dashboardSecurity);
