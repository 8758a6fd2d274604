/** The three vendor slots, in the order listed by the interface. */
export const VENDORS = ["vendor_a", "vendor_b", "vendor_c"] as const;
export type Vendor = typeof VENDORS[number];

/** Model name of the embedded demo model: present in every slot, no credential, price 0. */
export const DEMO_MODEL = "demo";
