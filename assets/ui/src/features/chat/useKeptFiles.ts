import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import { isObject } from '../../core/nodes';
import type { ChatFile } from './conversation';

/** As many letters of data are kept: a tab has room for some five million, whatever lies there. */
const MOST = 2_000_000;

const none: readonly ChatFile[] = [];

/**
 * Files that this tab keeps until they are sent, so that a reload does not lose them. Where they are too large together none
 * is kept: some of them would look like all. `fresh` begins without those that were kept.
 */
export function useKeptFiles(
  place: string,
  fresh: boolean,
): [readonly ChatFile[], Dispatch<SetStateAction<readonly ChatFile[]>>] {
  const [files, setFiles] = useState(() => (fresh ? none : readKept(place)));
  useEffect(() => {
    try {
      const size = files.reduce((sum, { data }) => sum + data.length, 0);
      if (size > 0 && size <= MOST) sessionStorage.setItem(place, JSON.stringify(files));
      else sessionStorage.removeItem(place);
    } catch {
      // A full or closed storage keeps nothing.
    }
  }, [place, files]);
  return [files, setFiles];
}

function readKept(place: string): readonly ChatFile[] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(place) ?? '[]');
    return Array.isArray(read) && read.every(isFile) ? read : none;
  } catch {
    return none;
  }
}

const isFile = (one: unknown): one is ChatFile =>
  isObject(one) &&
  [one.name, one.mime, one.data, one.type].every((text) => typeof text === 'string') &&
  typeof one.size === 'number';
