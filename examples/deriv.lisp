;;; Objects of four kinds for mprof run: compile it, so that its functions have names, and load it:
;;;	ecl --norc --eval '(progn (compile-file "deriv.lisp") (ext:quit))'
;;;	mprof run ecl --norc --load deriv.fas --eval '(progn (main) (ext:quit))'

(defstruct particle name (mass 0d0) (speed 0d0))

(defun deriv (a)
  (cond ((atom a) (if (eq a 'x) 1 0))
        ((eq (car a) '+) (cons '+ (mapcar #'deriv (cdr a))))
        ((eq (car a) '*)
         (list '* a (cons '+ (mapcar (lambda (b) (list '/ (deriv b) b)) (cdr a)))))
        (t (error "no derivation for ~a" (car a)))))

(defun swarm (n)
  (let ((all (make-array n)))
    (dotimes (i n all)
      (setf (aref all i) (make-particle :name i :mass (sqrt (float (+ i 1) 1d0)))))))

(defun energy (all)
  (let ((sum 0d0))
    (map nil (lambda (p) (setf sum (+ sum (* (particle-mass p) (particle-mass p))))) all)
    sum))

(defun main ()
  (dotimes (i 100) (deriv '(+ (* 3 x x) (* a x x) (* b x) 5)))
  (format t "~a~%" (energy (swarm 200))))
