/** The style sheet of the chat, in the order of its parts. */
import frame from './frame.css?inline';
import panel from './panel.css?inline';
import messages from './messages.css?inline';
import text from './text.css?inline';
import fold from './fold.css?inline';
import foot from './foot.css?inline';
import forms from './forms.css?inline';
import page from './page.css?inline';

export const styles = [frame, panel, messages, text, fold, foot, forms, page].join('');
