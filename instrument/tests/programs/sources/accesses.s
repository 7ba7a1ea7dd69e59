# Functions with known accesses; surveying.rs holds what must be found in each.
	.intel_syntax noprefix
	.text
	.macro function name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro done name
	.size \name, .-\name
	.endm

function plain
	mov eax, [rdi]
	mov byte ptr [rsi+1], al
	add word ptr [rdi], 3
	cmp qword ptr [rdi], 0
	lea rax, [rdi+8]
	nop dword ptr [rax]
	prefetcht0 [rdi]
	ret
done plain

function atomic
	lock inc dword ptr [rdi]
	xchg [rdi], rax
	lock cmpxchg16b [rdi]
	cmpxchg [rdi], ecx
	mfence
	lock or qword ptr [rsp], 0
	ret
done atomic

function stack
	push rbp
	mov rbp, rsp
	sub rsp, 32
	mov [rbp-4], edi
	mov eax, [rsp+8]
	push qword ptr [rdi]
	pop qword ptr [rsi]
	call qword ptr [rdi+16]
	leave
	ret
done stack

function escaping
	mov dword ptr [rsp-4], 1
	lea rax, [rsp-4]
	ret
done escaping

function segments
	mov rax, fs:0x28
	mov eax, fs:[rdi]
	mov eax, [rip+constant]
	mov eax, [rip+variable]
	mov [rip+variable], eax
	ret
done segments

function strings
	rep movsb
	movsq
	repne scasb
	rep stosd
	ret
done strings

function vectors
	movaps xmm0, [rdi]
	movups [rsi], xmm0
	paddd xmm0, [rdi]
	vmovdqu ymm0, [rdi]
	vmovntdq [rdi], ymm0
	vpgatherdd xmm0, [rdi+xmm1*4], xmm2
	bts [rdi], eax
	fld tbyte ptr [rdi]
	ret
done vectors

function flags
	test eax, eax
	mov ecx, [rdi]
	je 1f
	mov edx, [rdi]
1:	ret
done flags

function jumping
	cmp edi, 3
	ja outside
	lea rax, [rip+constant]
	jmp rax
	jmp [rax+rdi*8]
done jumping

function outside
	ret
done outside

	.section .rodata
constant: .long 7
	.data
variable: .long 8
	.section .note.GNU-stack,"",@progbits
