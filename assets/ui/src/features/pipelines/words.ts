import { addWords } from '../../i18n';
import { pipelines } from '../../i18n/en/pipelines';

addWords(pipelines);
