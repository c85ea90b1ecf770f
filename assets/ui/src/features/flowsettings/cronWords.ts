import { sentenceList, weekday } from '../../core/format';
import { t } from '../../i18n';

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/**
 * The times of a cron expression of five fields in words, such as "Every Monday at 09:00". Null for those that are
 * unusual: their text says more than a long sentence.
 */
export function cronWords(cron: string): string | null {
  const fields = cron.trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', days = ''] = fields;
  if (fields.length !== 5 || month !== '*') return null;
  const daily = day === '*' && days === '*';
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  // Only what divides the hour comes evenly.
  if (daily && hour === '*' && step && Number(step) > 1 && 60 % Number(step) === 0)
    return t('flowsettings.cronMinutes', { count: Number(step) });
  const at = numberIn(minute, 59);
  if (at === null) return null;
  if (daily && hour === '*') return t('flowsettings.cronHourly', { minute: at });
  const hours = numberIn(hour, 23);
  if (hours === null) return null;
  const time = [hours, at].map((one) => String(one).padStart(2, '0')).join(':');
  if (daily) return t('flowsettings.cronDaily', { time });
  if (day === '*') {
    const named = weekdaysOf(days);
    return named && t('flowsettings.cronWeekly', { days: sentenceList(named.map(weekday)), time });
  }
  const numbers = day.split(',').map((one) => numberIn(one, 31));
  if (days !== '*' || numbers.some((one) => !one)) return null;
  return t('flowsettings.cronMonthly', { days: sentenceList(numbers.map(String)), time });
}

const numberIn = (text: string, most: number): number | null =>
  /^\d{1,2}$/.test(text) && Number(text) <= most ? Number(text) : null;

/** The days of a list of days and spans of days, Monday first; 0 and 7 are Sunday. */
function weekdaysOf(text: string): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const ends = part.split('-').map((one) => {
      const named = WEEKDAYS.indexOf(one.toUpperCase());
      return named >= 0 ? named : numberIn(one, 7);
    });
    const [first, last = first] = ends;
    if (first == null || last == null || ends.length > 2 || last < first) return null;
    for (let one = first; one <= last; one += 1) found.add(one % 7);
  }
  return [...found].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
}
