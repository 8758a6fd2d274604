import { assert, assertEquals } from "@std/assert";
import { WINDOW_MS } from "./limits.ts";
import {
  afterAdmission,
  allotPlaces,
  allottedPlaces,
  type PlaceRequest,
  SHARD_RETENTION_MS,
  untilPlace,
  type WindowAllotment,
  type WindowShard,
} from "./window_allotment.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const HALF_HOUR = 30 * 60_000;
const used = (n: number, at = NOON): WindowShard => ({
  stamps: Array.from({ length: n }, () => at),
});
const request = { shard: 2, limit: 60, need: 1, now: NOON };
const places = (allotments: readonly (WindowAllotment | undefined)[]) =>
  allotments.map((one) => one?.places);

function allotted(shards: readonly WindowShard[], at: Partial<PlaceRequest> = {}) {
  const allotments = allotPlaces(shards, { ...request, ...at });
  assert(allotments !== undefined);
  return allotments;
}

function withAllotments(shards: WindowShard[], at: Partial<PlaceRequest> = {}): WindowShard[] {
  const allotments = allotted(shards, at);
  return shards.map((shard, i) => ({ ...shard, allotment: allotments[i] }));
}

Deno.test("allotPlaces: gives the requesting shard what it needs, and each active one half of the rest", () => {
  const shards = [used(10), used(0), used(0), used(0)];
  // 10 of 50 places are needed; the rest is halved. The first shard has used 10.
  assertEquals(places(allotted(shards, { need: 10 })), [
    30,
    undefined,
    30,
    undefined,
  ]);
});

Deno.test("allotPlaces: a shard keeps what it used in the last minute, within the limit", () => {
  const shards = withAllotments([used(10), used(15), used(0)], { shard: 1 });
  for (const limit of [60, 27]) {
    const after = places(allotted(shards, { limit }));
    assertEquals(after.map((n, i) => (n ?? 0) >= shards[i]!.stamps.length), [true, true, true]);
    assertEquals(after.reduce((sum: number, n) => sum + (n ?? 0), 0), limit);
  }
});

Deno.test("allotPlaces: a shard that was idle for a minute keeps no places and stays unchanged", () => {
  const shards = withAllotments([used(10), used(20), used(5)]);
  const now = NOON + WINDOW_MS + 1;
  const quiet = allotted(shards, { now });
  assertEquals(places(quiet), [0, undefined, 60]);
  const again = shards.map((shard, i) => ({ ...shard, allotment: quiet[i] }));
  assertEquals(allotted(again, { now: now + 1 })[0], quiet[0]);
});

Deno.test("allottedPlaces: without an allotment the first shard has the whole limit, any other none", () => {
  const at = { limit: 60, now: NOON };
  assertEquals(allottedPlaces(used(3), { ...at, isFirst: true }), 60);
  assertEquals(allottedPlaces(used(3), { ...at, isFirst: false }), undefined);
});

Deno.test("allottedPlaces: an allotment is void under another limit, after half an hour, and from a wrong clock", () => {
  const [first] = withAllotments([used(0), used(0), used(0)]) as [WindowShard];
  const at = { limit: 60, now: NOON, isFirst: true };
  assertEquals(allottedPlaces(first, at), 0);
  assertEquals(allottedPlaces(first, { ...at, limit: 61 }), undefined);
  assertEquals(allottedPlaces(first, { ...at, now: NOON + HALF_HOUR - 1 }), 0);
  assertEquals(allottedPlaces(first, { ...at, now: NOON + HALF_HOUR }), undefined);
  assertEquals(allottedPlaces(first, { ...at, now: NOON - 5 * 60_000 }), 0);
  assertEquals(allottedPlaces(first, { ...at, now: NOON - 5 * 60_000 - 1 }), undefined);
});

Deno.test("allotPlaces: all allotments end with the first shard's, which is stored longer", () => {
  let shards = withAllotments([used(0), used(0), used(0)]);
  const end = shards[0]!.allotment!.until;
  for (let now = NOON; now < end; now += 7 * 60_000) {
    shards = withAllotments(shards, { shard: 1, now });
    assertEquals(shards.map(({ allotment }) => allotment?.until), [end, end, end]);
  }
  const renewed = withAllotments(shards, { shard: 1, now: end });
  assertEquals(renewed.map(({ allotment }) => allotment!.until > end), [true, true, true]);
  assertEquals(NOON + SHARD_RETENTION_MS > end + HALF_HOUR - 1, true);
});

Deno.test("untilPlace: the oldest of the last `limit` stamps of all shards must expire", () => {
  const shards = [used(1, NOON - 20_000), used(2, NOON - 50_000), used(1, NOON - 30_000)];
  assertEquals(untilPlace(shards, { limit: 5, now: NOON }), undefined);
  assertEquals(untilPlace(shards, { limit: 4, now: NOON }), 10_001);
  assertEquals(untilPlace(shards, { limit: 2, now: NOON }), 30_001);
});

Deno.test("allotPlaces: respects places reserved for requests of others", () => {
  const placeRequest = { shard: 1, limit: 3, need: 2 };
  const shards = withAllotments([used(1), used(0), used(0)], placeRequest);
  const other = { shard: 2, limit: 3, respectsReservations: true };
  assertEquals(allotPlaces(shards, { ...request, ...other }), undefined);
  assertEquals(places(allotted(shards, { ...other, respectsReservations: false })), [1, 0, 2]);
  // A reservation lasts two seconds, or until its request is admitted.
  assertEquals(places(allotted(shards, { ...other, now: NOON + 2_000 })), [1, 0, 2]);
  const [first, second, third] = shards as [WindowShard, WindowShard, WindowShard];
  const served = { stamps: [NOON], allotment: afterAdmission(afterAdmission(second.allotment!)) };
  assertEquals(places(allotted([first, served, third], other)), [1, 1, 1]);
  const one = { stamps: [], allotment: afterAdmission(second.allotment!) };
  assertEquals(places(allotted([first, one, third], other)), [1, 1, 1]);
});
