import { metricsResponse } from "@/lib/http/metrics_response.ts";
import { define } from "@/utils.ts";

/** What the service measures, for Prometheus. */
export const handler = define.handlers({ GET: metricsResponse });
