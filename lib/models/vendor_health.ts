import { type Vendor, VENDORS } from "../wire/vendors.ts";
import type { VendorReport } from "./vendor_report.ts";

/** How a slot has been doing in this process; times in milliseconds. */
export interface SlotHealth {
  lastAnswerAt?: number;
  lastFailure?: { at: number; model: string; code: VendorReport["code"]; status?: number };
  /** Failures since the last answer. */
  failures: number;
}

/** Remembers of each vendor when it last answered and failed: since this process began, and only here. */
export class VendorHealth {
  readonly #now: () => number;
  readonly #slots = new Map<Vendor, SlotHealth>(VENDORS.map((v) => [v, { failures: 0 }]));

  constructor(now: () => number) {
    this.#now = now;
  }

  answered(vendor: Vendor): void {
    this.#slots.set(vendor, { ...this.of(vendor), lastAnswerAt: this.#now(), failures: 0 });
  }

  failed({ vendor, model, code, status }: VendorReport): void {
    const before = this.of(vendor);
    const lastFailure = {
      at: this.#now(),
      model,
      code,
      ...(status === undefined ? {} : { status }),
    };
    this.#slots.set(vendor, { ...before, lastFailure, failures: before.failures + 1 });
  }

  of(vendor: Vendor): SlotHealth {
    return this.#slots.get(vendor) ?? { failures: 0 };
  }
}
