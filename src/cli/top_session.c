/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top_session.h"

#include "base/clock.h"
#include "base/text.h"
#include "cli/asking.h"
#include "cli/looks.h"
#include "cli/names.h"
#include "cli/top_signals.h"
#include "cli/unattachable.h"
#include "control/control.h"
#include "naming/jit_map.h"
#include "proc/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DETACH_SECONDS = 600, MOMENT_MS = 50 };

/* Ask the session; a signal to end interrupts the wait. As control_ask(). */
static int ask(const struct top_session *s, enum control_form form, const char *words,
	       unsigned seconds, struct control_answer *a, struct error *e)
{
	const struct control_patience p = {seconds, top_end_flag()};

	return control_ask_until(s->session, form, words, &p, a, e);
}

/* ---- attaching ---- */

/* The child that attaches: its output goes to a file that we show, and the terminal's signals do
 * not reach it. */
__attribute__((noreturn)) static void attach(const struct top_session *s, pid_t parent)
{
	static const char *const engines[] = {[ENGINE_TRAP] = "--engine=trap",
					      [ENGINE_FAST] = "--engine=fast",
					      [ENGINE_AUTO] = "--engine=auto"};
	char pid[24], *data = NULL;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(s->said, STDOUT_FILENO) < 0 || dup2(s->said, STDERR_FILENO) < 0)
		_exit(STATUS_FAILED);
	top_default_signals();
	snprintf(pid, sizeof pid, "%d", (int)s->pid);
	if (asprintf(&data, "--data=%s", s->options->data) < 0)
		_exit(STATUS_FAILED);
	char *argv[] = {(char *)(uintptr_t) "mprof",
			(char *)(uintptr_t) "attach",
			data,
			(char *)(uintptr_t)engines[s->options->engine],
			pid,
			NULL};
	int status = attach_controlled(5, argv);

	fflush(NULL);
	_exit(status);
}

/* Print what the child has said. */
static void print_said(const struct top_session *s)
{
	char text[4096];
	off_t at = 0;

	for (ssize_t n; (n = pread(s->said, text, sizeof text, at)) > 0; at += n)
		fwrite(text, 1, (size_t)n, stderr);
}

/* True if the child has ended; *status: its exit status. */
static bool has_ended(struct top_session *s, int options, int *status)
{
	int wstatus;
	pid_t pid;

	do
		pid = waitpid(s->attached, &wstatus, options);
	while (pid < 0 && errno == EINTR && options != WNOHANG && !top_told_to_end());
	if (pid != s->attached)
		return false;
	s->attached = 0;
	/* it could not say that itself */
	if (WIFSIGNALED(wstatus) && !top_told_to_end())
		say("the process that had to attach to process %d ended with signal %d (%s)",
		    (int)s->pid, WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
	const bool as_told = wstatus == SIGTERM && top_told_to_end(); /* by us */
	*status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : as_told ? 0 : STATUS_FAILED;
	return true;
}

/* Join an existing session; options about attaching are an error. */
static int join(struct top_session *s)
{
	const struct option_def *d = options_find_given(s->options, FOR_RUN);

	if (!d)
		return 0;
	say("option %s: process %d has a session already, which mprof top only joins: leave it "
	    "out",
	    d->name, (int)s->pid);
	return STATUS_USAGE;
}

/* The session that answers may be another one, begun at the same moment. Our child has called
 * setsid(), so the kernel's session ID of the tracer tells. */
static bool is_own(const struct top_session *s)
{
	pid_t tracer = proc_status(s->pid).tracer;

	return tracer <= 0 || getsid(tracer) == s->attached;
}

/* The child could not attach: join the session that traces the process, if there is one. Or it was
 * told to end, as we were. */
static int not_attached(struct top_session *s, int status)
{
	s->session = control_tracing(s->pid);
	if (s->session)
		return join(s);
	print_said(s);
	return status || top_told_to_end() ? status : STATUS_FAILED;
}

/* 0, or a status if it could not attach. */
static int await_session(struct top_session *s)
{
	struct control_answer a;
	struct error e;
	bool told = false;
	int status;

	for (;;) {
		if (has_ended(s, WNOHANG, &status))
			return not_attached(s, status);
		if (!ask(s, CONTROL_JSON, "status", CONTROL_ANSWER_SECONDS, &a, &e)) {
			control_answer_release(&a);
			if (is_own(s))
				return 0;
		}
		if (top_told_to_end() && !told)
			kill(s->attached, SIGTERM);
		told = top_told_to_end();
		poll(NULL, 0, MOMENT_MS);
	}
}

static int begin_own(struct top_session *s)
{
	pid_t self = getpid();

	s->session = s->pid;
	s->older = !access(s->options->data, F_OK) && strcmp(s->options->data, "/dev/null");
	s->said = memfd_create("mprof top", MFD_CLOEXEC);
	if (s->said < 0) {
		say("top: out of memory");
		return STATUS_FAILED;
	}
	fflush(NULL);
	s->attached = fork();
	if (!s->attached)
		attach(s, self);
	if (s->attached > 0)
		return await_session(s);
	say("top: cannot attach: %s", strerror(errno));
	s->attached = 0;
	return STATUS_FAILED;
}

static void close_files(const struct top_session *s)
{
	if (s->said >= 0)
		close(s->said);
	if (s->process >= 0)
		close(s->process);
}

/* Messages about files are kept until the end, while the screen is in use. */
static struct error left_out[8];

static void keep_sentence(const char *sentence)
{
	size_t i = 0;

	while (i < sizeof left_out / sizeof *left_out && *left_out[i].text)
		i++;
	if (i < sizeof left_out / sizeof *left_out)
		error_set(&left_out[i], 0, "%s", sentence);
}

int top_session_begin(struct top_session *s, const struct options *o, pid_t pid)
{
	struct target_facts f;
	enum target_problem p = target_at(pid, &f);
	int status;

	*s = (struct top_session){.options = o,
				  .pid = pid,
				  .said = -1,
				  .process = (int)syscall(SYS_pidfd_open, pid, 0)};
	s->namer.search = names_search(o);
	s->namer.search.progress = NULL; /* the screen has no room for it */
	s->namer.say = keep_sentence;
	if (!title_of(s->name, pid))
		snprintf(s->name, sizeof s->name, "?");
	s->session = p == TARGET_TRACED ? control_tracing(pid) : 0;
	if (s->session)
		status = join(s);
	else if (p != TARGET_FINE)
		status = target_refuse("attach to", p, pid, &f);
	else
		status = begin_own(s);
	if (status)
		close_files(s);
	return status;
}

/* ---- looking ---- */

static int open_file(uint64_t tracer, int fd)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tracer, fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* A thread that has ended keeps its last name. */
static void name_threads(struct top_look *l, const struct top_session *s)
{
	const struct top_look *before = top_look_follows(l, &s->now) ? &s->now : NULL;

	for (size_t i = 0; i < l->n_by_thread; i++) {
		struct top_thread *t = &l->by_thread[i];

		_Static_assert(sizeof t->name >= TITLE_MAX, "a title fits");
		t->ended = !title_of_thread(t->name, s->pid, t->task);
		if (t->ended && before &&
		    i < before->n_by_thread && before->by_thread[i].task == t->task)
			memcpy(t->name, before->by_thread[i].name, sizeof t->name);
	}
}

/* 0, or -errno with a sentence in s->end. */
static int take_figures(struct top_session *s, const char *text, enum top_by by)
{
	struct proc_status status = proc_status(s->pid);
	struct figures f;
	struct top_look look;

	json_t *answer = json_loads(text, 0, NULL);
	int err = figures_read(json_object_get(answer, "figures"), &f);

	json_decref(answer);
	if (err)
		return error_set(&s->end, err, "the figures of process %d cannot be shown: %s",
				 (int)s->pid,
				 err == -EINVAL ? "they make no sense" : strerror(-err));
	int map = jit_map_open(s->pid);
	err = top_name(&s->namer, &f, open_file, map, by == TOP_SIZES, &look);

	if (map >= 0)
		close(map);
	figures_release(&f);
	if (err)
		return error_set(&s->end, err, "the figures of process %d cannot be shown: %s",
				 (int)s->pid, strerror(-err));
	look.rss_kib = status.vm_rss;
	look.threads = status.threads;
	if (by == TOP_THREADS)
		name_threads(&look, s);
	top_look_release(&s->before);
	s->before = s->now;
	s->now = look;
	return 0;
}

/* The name may have changed by an exec. */
static void look_at_name(struct top_session *s)
{
	char name[TITLE_MAX];

	if (title_of(name, s->pid))
		memcpy(s->name, name, sizeof name);
}

/* The session stays, but gives no more figures. */
static enum top_answer refuse(struct top_session *s)
{
	s->refused = true;
	return TOP_OVER;
}

/* It may refuse for a moment only, as while the process executes a program. */
static enum top_answer refuse_at_last(struct top_session *s)
{
	enum { PATIENCE_SECONDS = 5 };
	uint64_t now = clock_now_ns();

	if (!s->refused_ns)
		s->refused_ns = now;
	if (now - s->refused_ns < PATIENCE_SECONDS * UINT64_C(1000000000))
		return TOP_NOT_NOW;
	return refuse(s);
}

/* Why an answer has no figures; 0: too many looks at the moment. */
static int take_refusal(struct top_session *s, const struct control_part *p)
{
	char *why = asking_sentence(p, CONTROL_JSON);
	bool busy = why && !strcmp(why, LOOKS_BUSY);

	error_set(&s->end, 0, "the session of process %d does not tell of process %d: %s",
		  (int)s->session, (int)s->pid, why ? why : "out of memory");
	free(why);
	return busy ? 0 : -EAGAIN;
}

/* True if the programs have been detached from, but the session stays with unsaved files. */
static bool is_kept(const json_t *status)
{
	const char *state = json_string_value(json_object_get(status, "state"));

	return state && !strcmp(state, "unsaved");
}

/* Find out how it ends: when the session does not answer any more, it has left a note. */
static enum top_answer look_at_end(struct top_session *s)
{
	struct control_answer a;
	int err = ask(s, CONTROL_JSON, "status", CONTROL_LOOK_SECONDS, &a, &s->end);

	if (err)
		return err == -ENOENT ? TOP_OVER : TOP_NOT_NOW;
	json_t *status = json_loads(a.reply.parts[0].text, 0, NULL);
	bool kept = is_kept(status),
	     others = json_integer_value(json_object_get(status, "processes")) > 0;

	json_decref(status);
	control_answer_release(&a);
	if (kept) {
		error_set(&s->end, 0,
			  "process %d has ended, and not all of its profile could be written; "
			  "mprof detach %d tries again",
			  (int)s->pid, (int)s->session);
		return refuse(s);
	}
	s->ending = !others || !proc_lives(s->pid);
	if (!s->ending || !others || s->pid == s->session)
		return TOP_NOT_NOW;
	error_set(&s->end, 0, "process %d has ended; the session of process %d goes on",
		  (int)s->pid, (int)s->session);
	return TOP_OVER;
}

static enum top_answer look(struct top_session *s, enum top_by by)
{
	struct control_answer a;
	char words[32];

	if (s->ending)
		return look_at_end(s);
	snprintf(words, sizeof words, "figures %d", (int)s->pid);
	int err = ask(s, CONTROL_JSON, words, CONTROL_ANSWER_SECONDS, &a, &s->end);

	if (err == -ENOENT)
		return TOP_OVER;
	if (err == -EPROTONOSUPPORT)
		return refuse(s);
	if (err) {
		s->ending = err != -ETIMEDOUT && err != -EINTR;
		return TOP_NOT_NOW;
	}
	const struct control_part *p = &a.reply.parts[0];
	bool told = p->ok;

	err = told ? take_figures(s, p->text, by) : take_refusal(s, p);
	control_answer_release(&a);
	if (!told || err)
		s->ending = !proc_lives(s->pid);
	if (told && !err) {
		s->refused_ns = 0;
		look_at_name(s);
		return TOP_LOOKED;
	}
	if (err == -EINVAL)
		return refuse(s);
	return !err || s->ending ? TOP_NOT_NOW : refuse_at_last(s);
}

enum top_answer top_session_look(struct top_session *s, enum top_by by)
{
	enum top_answer answer = s->over ? TOP_OVER : look(s, by);

	s->over = answer == TOP_OVER;
	return answer;
}

bool top_session_wait(const struct top_session *s, int ms)
{
	struct pollfd p = {.fd = s->process, .events = POLLIN};

	return poll(&p, 1, ms) > 0;
}

/* ---- saving and the end ---- */

void top_session_save(const struct top_session *s, struct error *e)
{
	struct control_answer a;

	if (ask(s, CONTROL_TEXT, "save", DETACH_SECONDS, &a, e))
		return;
	error_set(e, 0, "nothing has been saved");
	for (size_t i = 0; i < a.reply.n; i++) {
		const struct control_part *p = &a.reply.parts[i];
		const char *path = p->ok ? text_after(p->text, CONTROL_DATA) : NULL;
		int len = path ? (int)strcspn(path, "\n") : 0;

		if (path)
			error_set(e, 0, "the profile is in %.*s", len, path);
		if (!p->ok) {
			error_set(e, 0, "%s", p->text);
			break;
		}
	}
	control_answer_release(&a);
}

/* Print where each profile is, and what has failed. Returns a status. */
static int say_results(char *text, bool older)
{
	int status = 0;

	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *path = text_after(line, CONTROL_DATA),
			   *failed = text_after(line, CONTROL_FAILED);

		if (path)
			say("the profile is in %s%s", path,
			    older ? ", in the place of an older one" : "");
		else if (failed)
			say("%s", failed);
		status = failed ? STATUS_FAILED : status;
	}
	return status;
}

static int detach(const struct top_session *s)
{
	struct control_answer a;
	struct error e;

	/* A signal may be why we are here; another one ends the wait for the profile. */
	top_await_next_signal();
	int err = ask(s, CONTROL_TEXT, "detach", DETACH_SECONDS, &a, &e);

	if (err) {
		say("%s", e.text);
		return err == -ENOENT ? 0 : asking_status(err);
	}
	int status = asking_say_errors(s->session, &a, CONTROL_TEXT);

	if (!status)
		status = say_results(a.reply.parts[0].text, s->older);
	control_answer_release(&a);
	return status;
}

int top_session_end(struct top_session *s, bool detaches)
{
	const bool lets_go = (!s->over || s->refused) && (detaches || s->attached);
	int status = lets_go ? detach(s) : s->refused ? STATUS_FAILED : 0, ended;

	if (s->attached && status)
		kill(s->attached, SIGTERM);
	if (s->attached && has_ended(s, 0, &ended) && ended) {
		/* The messages of a session that went well are in the profile, too. */
		print_said(s);
		status = status ? status : ended;
	}
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out && *left_out[i].text; i++)
		say("%s", left_out[i].text);
	close_files(s);
	top_look_release(&s->now);
	top_look_release(&s->before);
	top_namer_release(&s->namer);
	return status;
}
