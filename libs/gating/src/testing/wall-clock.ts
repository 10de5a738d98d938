/**
 * The local time of every minute of some years in a zone, computed minute by minute and independently of the engine.
 * Index 0 is the first minute.
 */
export interface WallClock {
  zone: string;
  /** Minutes since 1970-01-01T00:00 on the clock of the zone. */
  local: Int32Array;
  /** Minute of the day. */
  time: Uint16Array;
  /** See {@link dateKey}. */
  date: Uint16Array;
}

/** Offsets only change at quarters of an hour (IANA time zone database, since 1972). */
const quarter = 15;

export function wallClock(zone: string, from: number, minutes: number): WallClock {
  const offsetName = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const clock: WallClock = {
    zone,
    local: new Int32Array(minutes),
    time: new Uint16Array(minutes),
    date: new Uint16Array(minutes),
  };
  let offset = 0;
  for (let index = 0; index < minutes; index += 1) {
    const utc = from / 60_000 + index;
    if (index % quarter === 0) offset = offsetMinutes(offsetName.format(utc * 60_000));
    const date = new Date((utc + offset) * 60_000);
    clock.local[index] = utc + offset;
    clock.time[index] = date.getUTCHours() * 60 + date.getUTCMinutes();
    clock.date[index] = dateKey(date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay());
  }
  return clock;
}

/** Returns the offset in a text such as `11/20/2026, GMT+10:30`; `GMT` alone means zero. */
function offsetMinutes(text: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Returns a number below {@link dateKeys} for the month, the day of the month and the day of the week. */
export function dateKey(month: number, day: number, weekday: number): number {
  return (month * 32 + day) * 7 + weekday;
}

export const dateKeys = 13 * 32 * 7;
