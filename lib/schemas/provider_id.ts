/** The three vendor slots, in the order listed by the interface. */
export const PROVIDER_IDS = ["vendor_a", "vendor_b", "vendor_c"] as const;
export type ProviderId = typeof PROVIDER_IDS[number];

/** Model name of the embedded demo model: present in every slot, no credential, price 0. */
export const DEMO_MODEL = "demo";
