/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen of mprof top, and its keys. */
#include "cli/top_screen.h"

#include "base/clock.h"
#include "base/memstream.h"
#include "cli/top_signals.h"
#include "cli/top_view.h"
#include "top/columns.h"
#include "top/lines.h"

#include <curses.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOMENT_MS = 50, KEY_ESCAPE = 27 };

struct screen {
	struct top_view v;
	bool typing; /* the filter is being typed */
	bool frozen, leaves, detaches;
	int first_row;	  /* first line after the head, the message, and the line above the rows */
	uint64_t next_ns; /* when the next look is due */
	struct error said;
};

static int page(const struct screen *s)
{
	return LINES > s->first_row ? LINES - s->first_row : 1;
}

/* ---- drawing ---- */

static void put(int line, const char *text, int attributes)
{
	char *cut = top_shorten(text, COLS);

	if (!cut || line >= LINES)
		goto out;
	move(line, 0);
	attrset(attributes);
	addstr(cut);
	if (attributes != A_NORMAL)
		for (int i = top_width(cut); i < COLS; i++)
			addch(' ');
	attrset(A_NORMAL);
out:
	free(cut);
}

/* Print on as many lines as needed, from @line up to @end. Returns the next line. */
static int put_all(int line, int end, const char *text, int attributes)
{
	char *wrapped = top_wrap(text, COLS), *save;

	for (char *l = wrapped ? strtok_r(wrapped, "\n", &save) : NULL; l && line < end;
	     l = strtok_r(NULL, "\n", &save))
		put(line++, l, attributes);
	free(wrapped);
	return line;
}

/* Returns the next line. Leaves half of the screen for rows. */
static int draw_head(const struct top_head *h, const char *name)
{
	enum { NAME_LEAST = 16, LEAST = 3 };
	const int most = LINES / 2 - 2 > LEAST ? LINES / 2 - 2 : LEAST;
	char *text = NULL, *save, *shorter;
	size_t len;
	FILE *out = memstream_open(&text, &len);
	int line = 0;

	if (!out)
		return 0;
	shorter = top_shorten(name, COLS / 5 > NAME_LEAST ? COLS / 5 : NAME_LEAST);
	top_print_head(h, shorter ? shorter : "?", out);
	char *l = fclose(out) ? NULL : strtok_r(text, "\n", &save);
	for (; l; l = strtok_r(NULL, "\n", &save))
		line = put_all(line, most, l, A_NORMAL);
	free(shorter);
	free(text);
	return line;
}

/* A note about the rows, if there is no other message. */
static void tell_of_rows(const struct screen *s, struct error *e)
{
	if (s->v.what != NOT_OPENED)
		error_set(e, 0, "%sEsc closes this", s->frozen ? "frozen; " : "");
	else if (s->frozen)
		error_set(e, 0, "frozen: Space goes on");
	else if (*s->v.filter)
		error_set(e, 0, "only rows with \"%s\"; Esc shows all", s->v.filter);
	else
		error_set(e, 0, "Enter chains  ? help  q quit");
}

/* Returns the next line. */
static int draw_said(const struct screen *s, int line)
{
	struct error e = s->said;

	if (s->typing)
		error_set(&e, 0, "filter: %s_", s->v.filter);
	else if (s->v.session->over)
		error_set(&e, 0, "%s; q quits", s->v.session->end.text);
	else if (!*e.text)
		tell_of_rows(s, &e);
	return put_all(line, LINES, e.text, A_BOLD);
}

/* Draw a line printed by @print, without its newline. */
static void draw_row(const struct screen *s, const struct top_head *h, size_t i, int line)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return;
	if (i == SIZE_MAX)
		top_print_columns(&s->v.how, COLS, out);
	else
		top_print_row(h, &s->v.how, &s->v.rows.v[i], COLS, out);
	if (fclose(out))
		return;
	text[len ? len - 1 : 0] = '\0';
	put(line, text, i == SIZE_MAX || i == s->v.at ? A_REVERSE : A_NORMAL);
	free(text);
}

static void draw_rows(struct screen *s, const struct top_head *h)
{
	size_t height = (size_t)page(s);
	struct error none;

	if (s->v.at < s->v.first)
		s->v.first = s->v.at;
	if (s->v.at >= s->v.first + height)
		s->v.first = s->v.at - height + 1;
	draw_row(s, h, SIZE_MAX, s->first_row - 1);
	for (size_t i = 0; i < height && s->v.first + i < s->v.rows.n; i++)
		draw_row(s, h, s->v.first + i, s->first_row + (int)i);
	if (s->v.rows.n)
		return;
	error_set(&none, 0, "nothing has been requested since the session began");
	if (*s->v.filter)
		error_set(&none, 0, "no row has \"%s\" in it; Esc shows all", s->v.filter);
	put_all(s->first_row, LINES, none.text, A_NORMAL);
}

static const char *title_of_opened(const struct top_view *v, char text[TOP_FILTER_MAX])
{
	if (v->what == HELP)
		return "keys";
	if (v->how.by != TOP_SIZES)
		return v->of.name;
	snprintf(text, TOP_FILTER_MAX, "requests of %" PRIu64 " bytes", v->of.size);
	return text;
}

static void draw_opened(const struct screen *s)
{
	char text[TOP_FILTER_MAX];

	put(s->first_row - 1, title_of_opened(&s->v, text), A_REVERSE);
	int line = s->first_row;

	for (size_t i = s->v.first; i < s->v.n_opened && line < LINES; i++) {
		const char *opened = s->v.opened[i];

		/* indented lines are the frames of a chain */
		if (s->v.what == HELP || *opened != ' ')
			line = put_all(line, LINES, opened, A_NORMAL);
		else
			put(line++, opened, A_NORMAL);
	}
}

static void draw(struct screen *s)
{
	struct top_head h;
	int line = 0;

	erase();
	if (s->v.session->now.data) {
		h = top_head(&s->v.session->now, top_view_before(&s->v));
		line = draw_head(&h, s->v.session->name);
	}
	s->first_row = draw_said(s, line) + 1;
	if (s->v.what != NOT_OPENED)
		draw_opened(s);
	else if (s->v.session->now.data)
		draw_rows(s, &h);
	refresh();
}

/* ---- keys ---- */

static bool is_enter(int key)
{
	return key == '\n' || key == '\r' || key == KEY_ENTER;
}

static void type(struct screen *s, int key)
{
	size_t len = strlen(s->v.filter);

	if (key == KEY_ESCAPE)
		*s->v.filter = '\0';
	if (key == KEY_ESCAPE || is_enter(key)) {
		s->typing = false;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		/* Delete a whole UTF-8 character. */
		while (len && (s->v.filter[len - 1] & 0xc0) == 0x80)
			s->v.filter[--len] = '\0';
		s->v.filter[len ? len - 1 : 0] = '\0';
	} else if (key >= ' ' && key < 256 && len + 1 < sizeof s->v.filter) {
		s->v.filter[len] = (char)key;
		s->v.filter[len + 1] = '\0';
	}
	top_view_other_rows(&s->v);
}

/* Set *at to where a key moves from there. False: it is another key. */
static bool moved(const struct screen *s, int key, size_t n, size_t *at)
{
	size_t height = (size_t)page(s);

	switch (key) {
	case KEY_UP:
		*at -= *at > 0;
		break;
	case KEY_DOWN:
		*at += *at + 1 < n;
		break;
	case KEY_PPAGE:
		*at -= *at < height ? *at : height;
		break;
	case KEY_NPAGE:
		*at = *at + height < n ? *at + height : n ? n - 1 : 0;
		break;
	case KEY_HOME:
		*at = 0;
		break;
	case KEY_END:
		*at = n ? n - 1 : 0;
		break;
	default:
		return false;
	}
	return true;
}

static void sort_by(struct screen *s, unsigned sort)
{
	bool possible = sort < TOP_SORTS && (s->v.how.by == TOP_SITES || sort != TOP_TEMPORARY);

	if (possible)
		s->v.how.sort = sort;
}

static void look_at_once(struct screen *s)
{
	s->next_ns = 0;
}

static void switch_rows(struct screen *s)
{
	s->v.how.by = (s->v.how.by + 1) % TOP_BYS;
	if (s->v.how.by != TOP_SITES && s->v.how.sort == TOP_TEMPORARY)
		s->v.how.sort = TOP_LIVE;
	/* Types, or names of threads, are only in looks for them. */
	if (s->v.how.by != TOP_SITES && !s->frozen)
		look_at_once(s);
}

/* Keys that change the rows or their order. False: it is another key. */
static bool change_rows(struct screen *s, int key)
{
	static const char sorts[] = "LGAT";
	const char *sort = key > 0 && key < 128 ? strchr(sorts, key) : NULL;

	if (sort)
		sort_by(s, (unsigned)(sort - sorts));
	else if (key == '>' || key == '<')
		sort_by(s, s->v.how.sort + (key == '>' ? 1 : -1));
	else if (key == 'b')
		switch_rows(s);
	else if (key == '+')
		s->v.how.depth += s->v.how.depth < TOP_DEPTH_MAX;
	else if (key == '-')
		s->v.how.depth -= s->v.how.depth > 1;
	else if (key == 'i')
		s->v.how.innermost = !s->v.how.innermost;
	else
		return false;
	top_view_other_rows(&s->v);
	return true;
}

static void save(struct screen *s)
{
	error_set(&s->said, 0, "saving ...");
	draw(s);
	top_session_save(s->v.session, &s->said);
}

static void freeze(struct screen *s)
{
	s->frozen = !s->frozen;
	look_at_once(s);
}

/* Keys that work in all views. */
static void do_key(struct screen *s, int key)
{
	switch (key) {
	case 'q':
		s->leaves = true;
		break;
	case 'd':
		s->leaves = s->detaches = true;
		break;
	case 's':
		save(s);
		break;
	case ' ':
		freeze(s);
		break;
	case '/':
		s->typing = s->v.what == NOT_OPENED;
		break;
	case '?':
	case 'h':
		top_view_open_help(&s->v);
		break;
	default:
		break;
	}
}

static void take_key_of_opened(struct screen *s, int key)
{
	if (moved(s, key, s->v.n_opened, &s->v.first))
		return;
	if (s->v.what != HELP && key != KEY_ESCAPE && !is_enter(key) && key != KEY_BACKSPACE &&
	    key != 127) {
		do_key(s, key);
		return;
	}
	top_view_close(&s->v);
	top_view_rows(&s->v);
}

static void take_key_of_rows(struct screen *s, int key)
{
	size_t at = s->v.at;

	if (moved(s, key, s->v.rows.n, &at)) {
		top_view_select(&s->v, at);
	} else if (key == KEY_ESCAPE) {
		*s->v.filter = '\0';
		top_view_rows(&s->v);
	} else if (is_enter(key)) {
		if (!top_view_open_chains(&s->v))
			error_set(&s->said, 0, "of a thread it is not known who requests what");
	} else if (!change_rows(s, key)) {
		do_key(s, key);
	}
}

static void take_key(struct screen *s, int key)
{
	*s->said.text = '\0';
	if (s->typing)
		type(s, key);
	else if (s->v.what != NOT_OPENED)
		take_key_of_opened(s, key);
	else
		take_key_of_rows(s, key);
}

/* ---- the loop ---- */

static void look(struct screen *s)
{
	uint64_t now = clock_now_ns(),
		 interval = (uint64_t)(s->v.session->options->top.interval * 1e9);

	if (s->frozen || s->v.session->over ||
	    (now < s->next_ns && !top_session_wait(s->v.session, 0)))
		return;
	enum top_answer answer = top_session_look(s->v.session, s->v.how.by);

	s->next_ns = now + (answer == TOP_NOT_NOW ? MOMENT_MS * UINT64_C(1000000) : interval);
	if (answer == TOP_LOOKED && s->v.what == NOT_OPENED)
		top_view_rows(&s->v);
	else if (answer == TOP_LOOKED)
		top_view_renew_chains(&s->v);
}

/* Wait for a key, or until the next look is due. */
static int next_key(const struct screen *s)
{
	enum { LONGEST_MS = 1000 };
	uint64_t now = clock_now_ns(), ms = s->next_ns > now ? (s->next_ns - now) / 1000000 + 1 : 1;

	timeout(s->frozen || s->v.session->over || ms > LONGEST_MS ? LONGEST_MS : (int)ms);
	return getch();
}

/* More than any screen has; nothing is drawn beyond. */
enum { MOST_LINES = 1000, MOST_COLUMNS = 4000 };

static int at_most(int n, int most)
{
	return n < most ? n : most;
}

static void follow_size(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(at_most(size.ws_row, MOST_LINES), at_most(size.ws_col, MOST_COLUMNS));
}

static void run(struct screen *s)
{
	int failed = 0;

	while (!s->leaves && !top_told_to_end()) {
		if (top_was_resized())
			follow_size();
		look(s);
		draw(s);
		int key = next_key(s);

		if (key != ERR && key != KEY_RESIZE)
			take_key(s, key);
		/* A terminal that has gone away returns no keys without waiting. */
		failed = key == ERR && !isatty(STDIN_FILENO) ? failed + 1 : 0;
		s->leaves |= failed > 1;
	}
}

bool top_screen_possible(void)
{
	const char *name = getenv("TERM");
	int err;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		say("top: there is no terminal to show it on: --batch=SECONDS prints it, --once "
		    "one look");
		return false;
	}
	if (setupterm(NULL, STDOUT_FILENO, &err) == OK && cursor_address)
		return true;
	say("top: the terminal is of a kind that cannot be used or is not known (TERM=%s): "
	    "--batch=SECONDS prints it, --once one look",
	    name ? name : "");
	return false;
}

int top_screen(struct top_session *session, bool *detach)
{
	struct screen s = {.v = {.session = session, .how = session->options->top.how}};

	s.v.how.no_zeros = true;
	if (s.v.how.filter)
		snprintf(s.v.filter, sizeof s.v.filter, "%s", s.v.how.filter);
	setlocale(LC_CTYPE, "");
	set_escdelay(25);
	top_await_resizes();
	SCREEN *screen = newterm(NULL, stdout, stdin);

	if (!screen) {
		say("top: the terminal cannot be used: --batch=SECONDS prints it");
		return STATUS_USAGE;
	}
	cbreak();
	noecho();
	keypad(stdscr, true);
	curs_set(0);
	run(&s);
	endwin();
	delscreen(screen);
	if (session->over)
		say("%s", session->end.text);
	top_view_release(&s.v);
	*detach = s.detaches;
	return 0;
}
