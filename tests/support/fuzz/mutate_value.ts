import type { SeededRandom } from "./seeded_random.ts";
import { hostileValue, STRINGS } from "./hostile_values.ts";

/** A copy of the value with one to three mutations. */
export function mutateValue(value: unknown, dice: SeededRandom): unknown {
  let mutated = structuredClone(value);
  for (let n = dice.int(1, 3); n > 0; n--) mutated = mutateOnce(mutated, dice);
  return mutated;
}

function mutateOnce(value: unknown, dice: SeededRandom): unknown {
  if (Array.isArray(value)) return mutateList(value, dice);
  if (typeof value === "object" && value !== null) {
    return mutateObject(value as Record<string, unknown>, dice);
  }
  return hostileValue(dice);
}

function mutateList(list: unknown[], dice: SeededRandom): unknown {
  const at = dice.int(0, Math.max(0, list.length - 1));
  switch (dice.int(0, list.length === 0 ? 1 : 4)) {
    case 0:
      return hostileValue(dice);
    case 1:
      return [...list, hostileValue(dice)];
    case 2:
      return list.filter((_, n) => n !== at);
    case 3:
      return [...list, structuredClone(list[at])];
    default:
      return list.map((item, n) => n === at ? mutateOnce(item, dice) : item);
  }
}

function mutateObject(object: Record<string, unknown>, dice: SeededRandom): unknown {
  const names = Object.keys(object);
  const name = names.length === 0 ? "" : dice.pick(names);
  switch (dice.int(0, names.length === 0 ? 1 : 8)) {
    case 0:
      return dice.chance(0.3) ? hostileValue(dice) : { ...object, extra: 1 };
    case 1:
      return { ...object, [dice.pick(STRINGS)]: hostileValue(dice) };
    case 2: {
      const { [name]: _, ...rest } = object;
      return rest;
    }
    case 3:
      return { ...object, [name]: null };
    case 4:
    case 5:
      return { ...object, [name]: hostileValue(dice) };
    default:
      return { ...object, [name]: mutateOnce(object[name], dice) };
  }
}
