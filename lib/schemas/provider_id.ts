/** The ids of the three providers; `vendor_*` on the wire and in storage. */
export const PROVIDER_IDS = ["vendor_a", "vendor_b", "vendor_c"] as const;
export type ProviderId = typeof PROVIDER_IDS[number];

/** The embedded demo model: available with every provider, without credential, free. */
export const DEMO_MODEL = "demo";
